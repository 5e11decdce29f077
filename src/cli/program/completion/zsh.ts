import type { Program } from '../command.ts'
import {
  areBeginnings,
  type Choice,
  type Point,
  pointsOf,
  quoted,
  steps,
  valueCases,
} from './point.ts'

/** The same walk as in bash; zsh shows what each word does. */
export function zshScript(program: Program): string {
  const points = pointsOf(program)
  const run = `_${program.name}`
  return `#compdef ${program.name}
# Completion of ${program.name} for zsh: eval "$(${program.name} completion zsh)", after compinit.
${run}() {
  local at=${program.name} pending= word
  local -a offers flags
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ -n "$pending" ]]; then pending=; continue; fi
    case "$at $word" in
${points.flatMap(steps).join('\n')}
    esac
  done
  case "$pending" in
    ('') ;;
${points.flatMap((point) => valueCases(point, reply)).join('\n')}
    (*) return ;;
  esac
  case "$at" in
${points.map(offers).join('\n')}
  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then
    _describe -o option flags
  else
    (( $#offers )) && _describe command offers
  fi
}
if [[ "$funcstack[1]" == ${run} ]]; then ${run} "$@"; else compdef ${run} ${program.name}; fi`
}

function reply(option: Choice): string {
  const { values, takesFile } = option
  if (takesFile) return '_files'
  const open = areBeginnings(option) ? "-S '' " : ''
  return `compadd ${open}-- ${values.map(quoted).join(' ')}`
}

const offers = ({ name, commands, options, words }: Point): string => {
  const below = [...commands, ...words.map((word) => ({ name: word, about: '' }))]
  const flags = options.flatMap(({ flags, about }) => flags.map((flag) => ({ name: flag, about })))
  return `    (${quoted(name)}) offers=(${described(below)}); flags=(${described(flags)}) ;;`
}

/** A colon divides a word from what is said of it. */
const described = (items: readonly { readonly name: string; readonly about: string }[]): string =>
  items
    .map(({ name, about }) => {
      const word = name.replaceAll(':', '\\:')
      return quoted(about === '' ? word : `${word}:${about}`)
    })
    .join(' ')
