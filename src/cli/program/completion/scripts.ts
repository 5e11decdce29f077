import { type CommandNode, commandNodes, type Option, type Program } from '../command.ts'

/** A command as a completion script knows it. The scripts walk the words of a line from point to point. */
interface CompletedCommand {
  /** Its words, the program first, joined by spaces. */
  readonly name: string
  readonly commands: readonly {
    readonly name: string
    readonly aliases: readonly string[]
    readonly about: string
  }[]
  readonly options: readonly CompletedOption[]
  /** What its arguments can be, where they are limited. */
  readonly words: readonly string[]
}

/** An option, under every name it has. */
interface CompletedOption {
  readonly name: string
  /** `--tag`, and `-t` where there is a letter. */
  readonly flags: readonly string[]
  readonly about: string
  readonly short: string | undefined
  readonly takesValue: boolean
  readonly values: readonly string[]
  readonly takesFile: boolean
}

const completedCommands = (program: Program): CompletedCommand[] =>
  commandNodes(program).map((node) => completedCommand(program, node))

function completedCommand(
  program: Program,
  { path, command, commands, options }: CommandNode,
): CompletedCommand {
  return {
    name: [program.name, ...path].join(' '),
    commands: commands.map(({ name, aliases = [], about }) => ({ name, aliases, about })),
    options: Object.entries(options).map(([name, option]) => completedOption(name, option)),
    words: command?.arguments?.flatMap(({ choices = [] }) => choices) ?? [],
  }
}

function completedOption(
  name: string,
  { short, about, value, choices, completes }: Option,
): CompletedOption {
  return {
    name,
    flags: [`--${name}`, ...(short ? [`-${short}`] : [])],
    about,
    short,
    takesValue: value !== undefined,
    values: choices ?? (typeof completes === 'object' ? completes : []),
    takesFile: completes === 'files',
  }
}

/**
 * The cases by which bash and zsh walk along the words of a line: one that names a command leads there, and
 * after an option that takes a value the next word is that value.
 */
function steps({ name, commands, options }: CompletedCommand): string[] {
  const below = commands.map((command) => {
    const words = [command.name, ...command.aliases].map((word) => `'${name} ${word}'`)
    return `      (${words.join('|')}) at='${name} ${command.name}' ;;`
  })
  const flags = options.filter(({ takesValue }) => takesValue).flatMap((option) => option.flags)
  const taking = flags.map((flag) => `'${name} ${flag}'`).join('|')
  return [...below, `      (${taking}) pending="$at $word" ;;`]
}

/** The cases of options whose values can be offered. */
const valueCases = (
  { name, options }: CompletedCommand,
  reply: (option: CompletedOption) => string,
): string[] =>
  options
    .filter(({ values, takesFile }) => values.length > 0 || takesFile)
    .map((option) => {
      const pattern = option.flags.map((flag) => `'${name} ${flag}'`).join('|')
      return `    (${pattern}) ${reply(option)}; return ;;`
    })

/** Values that only begin, such as `sqlite:`; no space is put after them. */
const areBeginnings = ({ values }: CompletedOption): boolean =>
  values.some((value) => /[:/]$/.test(value))

/** A text between single quotes, for shells that join neighbouring strings. */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Walks the words before the cursor to the command they name, then offers what may follow. */
export function bashScript(program: Program): string {
  const points = completedCommands(program)
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
${points.flatMap((point) => valueCases(point, bashReply)).join('\n')}
    (*) return ;;
  esac
  local offers=
  case "$at" in
${points.map(bashOffers).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$offers" -- "$current"))
}
complete -F ${run} ${program.name}`
}

function bashReply(option: CompletedOption): string {
  const { values, takesFile } = option
  if (takesFile) return `compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current")`
  const open = areBeginnings(option) ? 'compopt -o nospace; ' : ''
  return `${open}COMPREPLY=($(compgen -W '${values.join(' ')}' -- "$current"))`
}

const bashOffers = ({ name, commands, options, words }: CompletedCommand): string => {
  const flags = options.flatMap((option) => option.flags)
  const all = [...commands.map((command) => command.name), ...words, ...flags]
  return `    ('${name}') offers='${all.join(' ')}' ;;`
}

/** The same walk as in bash; zsh shows what each word does. */
export function zshScript(program: Program): string {
  const points = completedCommands(program)
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
${points.flatMap((point) => valueCases(point, zshReply)).join('\n')}
    (*) return ;;
  esac
  case "$at" in
${points.map(zshOffers).join('\n')}
  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then
    _describe -o option flags
  else
    (( $#offers )) && _describe command offers
  fi
}
if [[ "$funcstack[1]" == ${run} ]]; then ${run} "$@"; else compdef ${run} ${program.name}; fi`
}

function zshReply(option: CompletedOption): string {
  const { values, takesFile } = option
  if (takesFile) return '_files'
  const open = areBeginnings(option) ? "-S '' " : ''
  return `compadd ${open}-- ${values.map(shellQuoted).join(' ')}`
}

const zshOffers = ({ name, commands, options, words }: CompletedCommand): string => {
  const below = [...commands, ...words.map((word) => ({ name: word, about: '' }))]
  const flags = options.flatMap(({ flags, about }) => flags.map((flag) => ({ name: flag, about })))
  return `    (${shellQuoted(name)}) offers=(${described(below)}); flags=(${described(flags)}) ;;`
}

/** A colon divides a word from what is said of it. */
const described = (items: readonly { readonly name: string; readonly about: string }[]): string =>
  items
    .map(({ name, about }) => {
      const word = name.replaceAll(':', '\\:')
      return shellQuoted(about === '' ? word : `${word}:${about}`)
    })
    .join(' ')

/** A function walks the words to the command they name; each offer says at which command it stands. */
export function fishScript(program: Program): string {
  const points = completedCommands(program)
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
${points.flatMap(fishSteps).join('\n')}
        end
    end
    test "$at" = "$argv[1]"
end
complete -c ${program.name} -f
${points.flatMap((point) => fishOffers(program, at, point)).join('\n')}`
}

function fishSteps({ name, commands, options }: CompletedCommand): string[] {
  const below = commands.flatMap((command) => [
    `            case ${[command.name, ...command.aliases].map((word) => fishQuoted(`${name} ${word}`)).join(' ')}`,
    `                set at ${fishQuoted(`${name} ${command.name}`)}`,
  ])
  const flags = options.filter(({ takesValue }) => takesValue).flatMap((option) => option.flags)
  const taking = flags.map((flag) => fishQuoted(`${name} ${flag}`)).join(' ')
  return [...below, `            case ${taking}`, '                set pending 1']
}

function fishOffers(program: Program, at: string, point: CompletedCommand): string[] {
  const line = `complete -c ${program.name} -n ${fishQuoted(`${at} ${fishQuoted(point.name)}`)}`
  return [
    ...point.commands.map(
      ({ name, about }) => `${line} -a ${fishQuoted(name)} -d ${fishQuoted(about)}`,
    ),
    ...point.words.map((word) => `${line} -a ${fishQuoted(word)}`),
    ...point.options.map((option) => `${line} ${optionWords(option)}`),
  ]
}

function optionWords({
  name,
  short,
  about,
  takesValue,
  takesFile,
  values,
}: CompletedOption): string {
  const letter = short ? `-s ${short} ` : ''
  const offered = values.length > 0 ? ` -a ${fishQuoted(values.join(' '))}` : ''
  const value = takesFile ? ' -r -F' : takesValue ? ` -x${offered}` : ''
  return `${letter}-l ${name}${value} -d ${fishQuoted(about)}`
}

/** Inside single quotes fish knows escapes. */
const fishQuoted = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
