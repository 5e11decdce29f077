import type { Scheme } from '../../scheme.ts'

export const memory: Scheme = {
  forms: ['memory:', 'memory:NAME'],
  shown: 'path',
  sharedBy: 'process',
  async open(name, options) {
    const { openMemory } = await import('./driver.ts')
    return openMemory(name, options)
  },
  isBegunByAdding: (name) => name !== '',
}
