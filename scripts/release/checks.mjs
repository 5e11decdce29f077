import { readFileSync } from 'node:fs'

/** What publint has to say of the package as it is published; nothing is wanted. */
export async function checkExports(tarball) {
  const { publint } = await import('publint')
  const { formatMessage } = await import('publint/utils')
  const bytes = readFileSync(tarball)
  const { messages, pkg } = await publint({
    pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) },
  })
  const said = messages.map((message) => formatMessage(message, pkg, { color: false }))
  if (said.length > 0) throw new Error(said.join('\n'))
}

/** The package is made of modules; older ways of resolving it are not meant. */
const meant = ['node16-esm', 'bundler']

/** Whether types are found for every entry point, and are those of what is found at run time. */
export async function checkTypes(tarball) {
  const { checkPackage, createPackageFromTarballData } = await import('@arethetypeswrong/core')
  const { filterProblems } = await import('@arethetypeswrong/core/problems')
  const analysis = await checkPackage(createPackageFromTarballData(readFileSync(tarball)))
  if (!analysis.types) throw new Error('there are none')
  const problems = meant.flatMap((resolutionKind) => filterProblems(analysis, { resolutionKind }))
  const said = [...new Set(problems.map((problem) => JSON.stringify(problem)))]
  if (said.length > 0) throw new Error(said.join('\n'))
  return `${Object.keys(analysis.entrypoints).length} entry points`
}
