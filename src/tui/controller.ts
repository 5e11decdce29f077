import type { Plans } from '../plan/internal.ts'
import { PickerFeed } from './picker-feed.ts'
import { reduce } from './reduce.ts'
import { SessionFeed } from './session-feed.ts'
import type { Action, MonitorState, Range } from './state.ts'
import { type Wants, wantsOf } from './windows.ts'

/** The least time between two drawings of news: what comes meanwhile is drawn together. */
const redrawMs = 50
const clockMs = 1_000

/**
 * Holds the state, and runs what the state asks for: after every action it follows the session and reads the
 * pages that are in view. Keys are drawn at once, news together.
 */
export class Controller {
  readonly #plans: Plans
  readonly #picker: PickerFeed
  readonly #listeners = new Set<() => void>()
  readonly #clock: NodeJS.Timeout
  #state: MonitorState
  #drawn: MonitorState
  #feed: { readonly sid: string; readonly feed: SessionFeed } | null = null
  #redraw: NodeJS.Timeout | undefined
  #drawnAt = 0

  constructor(plans: Plans, state: MonitorState) {
    this.#plans = plans
    this.#state = state
    this.#drawn = state
    this.#picker = new PickerFeed(plans, (action) => this.dispatch(action))
    this.#clock = setInterval(() => this.dispatch({ type: 'time', now: Date.now() }), clockMs)
    this.#serve(wantsOf(state))
  }

  /** What is to be drawn now. */
  readonly drawn = (): MonitorState => this.#drawn

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  dispatch(action: Action): void {
    const next = reduce(this.#state, action)
    if (next === this.#state) return
    this.#state = next
    this.#serve(wantsOf(next))
    if (action.type === 'command' || action.type === 'resized') this.#draw()
    else this.#drawSoon()
  }

  stop(): void {
    clearInterval(this.#clock)
    clearTimeout(this.#redraw)
    this.#feed?.feed.stop()
    this.#picker.stop()
  }

  #drawSoon(): void {
    const waitMs = Math.max(0, this.#drawnAt + redrawMs - performance.now())
    this.#redraw ??= setTimeout(() => this.#draw(), waitMs)
  }

  #draw(): void {
    clearTimeout(this.#redraw)
    this.#redraw = undefined
    this.#drawnAt = performance.now()
    this.#drawn = this.#state
    for (const listener of this.#listeners) listener()
  }

  #serve({ sid, events, sessions }: Wants): void {
    this.#follow(sid)
    if (events) this.#wantEvents(events)
    this.#picker.want(sessions)
  }

  #follow(sid: string | null): void {
    if (this.#feed?.sid === sid) return
    this.#feed?.feed.stop()
    this.#feed = sid === null ? null : this.#started(sid)
  }

  #started(sid: string): { sid: string; feed: SessionFeed } {
    const feed = new SessionFeed(this.#plans, sid, (action) => this.dispatch(action))
    feed.start()
    return { sid, feed }
  }

  #wantEvents(range: Range): void {
    this.#feed?.feed.want(range)
  }
}
