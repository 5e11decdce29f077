import type { Key } from 'ink'
import type { Command } from './state.ts'

/** What a key means: for the state, or for the terminal. */
type KeyCommand = Command | 'quit' | 'suspend'

const letters: Readonly<Record<string, KeyCommand>> = {
  j: 'down',
  k: 'up',
  g: 'first',
  G: 'last',
  f: 'follow',
  l: 'sessions',
  n: 'successor',
  r: 'refresh',
  '?': 'help',
  q: 'quit',
  ' ': 'page-down',
  '\r': 'open',
  '\n': 'open',
  '\t': 'other-pane',
}

const named: readonly (readonly [keyof Key, Command])[] = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['pageUp', 'page-up'],
  ['pageDown', 'page-down'],
  ['home', 'first'],
  ['end', 'last'],
  ['tab', 'other-pane'],
  ['return', 'open'],
  ['escape', 'back'],
  ['backspace', 'back'],
  ['delete', 'back'],
]

const withControl: Readonly<Record<string, KeyCommand>> = {
  c: 'quit',
  z: 'suspend',
  d: 'page-down',
  f: 'page-down',
  u: 'page-up',
  b: 'page-up',
}

/** What is meant by what was typed. Over a slow line several keys arrive as one. */
export function commandsOf(input: string, key: Partial<Key>): KeyCommand[] {
  if (key.ctrl) return [withControl[input] ?? []].flat()
  const name = named.find(([each]) => key[each])
  if (name) return [name[1]]
  return [...input].flatMap((letter) => letters[letter] ?? [])
}
