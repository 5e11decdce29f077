import { printableLines } from '../terminal/index.ts'
import type { Size } from './state.ts'

const esc = '\u001B'
const csi = `${esc}[`
const enter = `${csi}?1049h${csi}?25l${csi}2J`
// Erased first: where the terminal has become wider meanwhile tmux wraps what is on this screen to the old width as it
// leaves it, and the rows that are then too many end up on the other one.
const leave = `${csi}0m${csi}H${csi}2J${csi}?25h${csi}?1049l`

/**
 * Puts frames on a terminal, on its alternate screen: of each frame only the lines that differ from the last
 * one. It uses nothing but cursor positions, erasing, colours and the two switches of `enter`, which every
 * terminal knows; it never scrolls, and never erases what was on the terminal before.
 */
export class Painter {
  readonly #stdout: NodeJS.WriteStream
  #lines: readonly string[] = []
  /** The last one, also of those that came while it was closed; null before it was opened. */
  #frame: string | null = null
  #isOpen = false

  constructor(stdout: NodeJS.WriteStream) {
    this.#stdout = stdout
  }

  get size(): Size {
    const { columns, rows } = this.#stdout
    // A terminal that does not know its size says 0.
    return { columns: columns > 0 ? columns : 80, rows: rows > 0 ? rows : 24 }
  }

  /** Shows the last frame again after it was closed. */
  open(): void {
    if (this.#isOpen) return
    this.#isOpen = true
    this.#lines = []
    this.#stdout.write(enter)
    if (this.#frame === null) this.#frame = ''
    else this.paint(this.#frame)
  }

  /** Twice is fine. */
  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#stdout.write(leave)
  }

  /** The terminal has changed its size, and nobody knows what is left on it. */
  forget(): void {
    this.#lines = []
    if (this.#isOpen) this.#stdout.write(`${csi}2J`)
  }

  paint(frame: string): void {
    if (this.#frame !== null) this.#frame = frame
    if (!this.#isOpen) return
    const lines = harmless(frame).split('\n').slice(0, this.size.rows)
    const count = Math.max(lines.length, this.#lines.length)
    let changes = ''
    for (let at = 0; at < count; at++)
      if (lines[at] !== this.#lines[at])
        // Erased first: a full line leaves the cursor on its last character, which would go too.
        changes += `${csi}${at + 1};1H${csi}K${lines[at] ?? ''}`
    this.#lines = lines
    if (changes !== '') this.#stdout.write(changes)
  }
}

/** What Ink writes into a frame itself: colours and weights. */
const styles = new RegExp(`(${esc}\\[[\\d;]*m)`)

/** Views show nobody's text as it is; a frame in which one does has no power over the terminal either. */
const harmless = (frame: string): string =>
  frame
    .split(styles)
    .map((part) => (styles.test(part) ? part : printableLines(part)))
    .join('')
