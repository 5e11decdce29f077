/** Wakes one who waits for news. What happens while nobody waits is not missed. */
export class Bell {
  #wake: (() => void) | null = null
  #isRung = false

  ring(): void {
    this.#isRung = true
    this.#wake?.()
  }

  /** Returns at once if there was news since the last time; false where there was none for so long. */
  async wait(ms?: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined
    if (!this.#isRung)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
        if (ms !== undefined) timer = setTimeout(resolve, ms)
      })
    clearTimeout(timer)
    this.#wake = null
    const isRung = this.#isRung
    this.#isRung = false
    return isRung
  }
}
