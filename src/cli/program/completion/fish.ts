import type { Program } from '../command.ts'
import { type Choice, type Point, pointsOf } from './point.ts'

/** A function walks the words to the command they name; each offer says at which command it stands. */
export function fishScript(program: Program): string {
  const points = pointsOf(program)
  const at = `__${program.name}_at`
  return `# Completion of ${program.name} for fish: ${program.name} completion fish > ~/.config/fish/completions/${program.name}.fish
function ${at}
    set -l at ${program.name}
    set -l pending
    for word in (commandline -opc)[2..-1]
        if test -n "$pending"
            set pending
            continue
        end
        switch "$at $word"
${points.flatMap(steps).join('\n')}
        end
    end
    test "$at" = "$argv[1]"
end
complete -c ${program.name} -f
${points.flatMap((point) => offers(program, at, point)).join('\n')}`
}

function steps({ name, commands, options }: Point): string[] {
  const below = commands.flatMap((command) => [
    `            case ${[command.name, ...command.aliases].map((word) => quoted(`${name} ${word}`)).join(' ')}`,
    `                set at ${quoted(`${name} ${command.name}`)}`,
  ])
  const flags = options.filter(({ takesValue }) => takesValue).flatMap((option) => option.flags)
  const taking = flags.map((flag) => quoted(`${name} ${flag}`)).join(' ')
  return [...below, `            case ${taking}`, '                set pending 1']
}

function offers(program: Program, at: string, point: Point): string[] {
  const line = `complete -c ${program.name} -n ${quoted(`${at} ${quoted(point.name)}`)}`
  return [
    ...point.commands.map(({ name, about }) => `${line} -a ${quoted(name)} -d ${quoted(about)}`),
    ...point.words.map((word) => `${line} -a ${quoted(word)}`),
    ...point.options.map((option) => `${line} ${optionWords(option)}`),
  ]
}

function optionWords({ name, short, about, takesValue, takesFile, values }: Choice): string {
  const letter = short ? `-s ${short} ` : ''
  const offered = values.length > 0 ? ` -a ${quoted(values.join(' '))}` : ''
  const value = takesFile ? ' -r -F' : takesValue ? ` -x${offered}` : ''
  return `${letter}-l ${name}${value} -d ${quoted(about)}`
}

/** Inside single quotes fish knows escapes. */
const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
