import type { Program } from '../command.ts'
import { areBeginnings, type Choice, type Point, pointsOf, steps, valueCases } from './point.ts'

/** Walks the words before the cursor to the command they name, then offers what may follow. */
export function bashScript(program: Program): string {
  const points = pointsOf(program)
  const run = `_${program.name}_complete`
  return `# Completion of ${program.name} for bash: eval "$(${program.name} completion bash)"
${run}() {
  local current=\${COMP_WORDS[COMP_CWORD]} at=${program.name} pending= word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [ -n "$pending" ]; then pending=; continue; fi
    case "$at $word" in
${points.flatMap(steps).join('\n')}
    esac
  done
  COMPREPLY=()
  case "$pending" in
    ('') ;;
${points.flatMap((point) => valueCases(point, reply)).join('\n')}
    (*) return ;;
  esac
  local offers=
  case "$at" in
${points.map(offers).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$offers" -- "$current"))
}
complete -F ${run} ${program.name}`
}

function reply(option: Choice): string {
  const { values, takesFile } = option
  if (takesFile) return `compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current")`
  const open = areBeginnings(option) ? 'compopt -o nospace; ' : ''
  return `${open}COMPREPLY=($(compgen -W '${values.join(' ')}' -- "$current"))`
}

const offers = ({ name, commands, options, words }: Point): string => {
  const flags = options.flatMap((option) => option.flags)
  const all = [...commands.map((command) => command.name), ...words, ...flags]
  return `    ('${name}') offers='${all.join(' ')}' ;;`
}
