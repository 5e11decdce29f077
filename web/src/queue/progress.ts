const lengthMax = 100

/** What a handler last said of how far it is. From 0 to 1 it is a share, which is whole only when it is 1. */
export function progressText(progress: number | string): string {
  if (typeof progress === 'string') return progress.slice(0, lengthMax)
  if (progress >= 0 && progress <= 1) return `${Math.floor(progress * 100 + 1e-9)} %`
  return progress.toLocaleString('en', { maximumFractionDigits: 2 })
}
