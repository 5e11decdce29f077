import { spanOf } from './time.tsx'

export interface Point {
  readonly ms: number
  readonly value: number
}

const width = 240
const height = 56
const margin = 3

/** One figure over time, as a line above its area. */
export function Plot({
  title,
  points,
  now,
  tone,
}: {
  title: string
  points: readonly Point[]
  now: string
  tone: string
}) {
  const first = points[0]
  const last = points.at(-1)
  const isDrawn = first && last && last.ms > first.ms
  return (
    <figure class={`plot ${tone}`}>
      <figcaption>
        <span>{title}</span>
        <strong>{now}</strong>
      </figcaption>
      {isDrawn ? (
        <Drawing points={points} first={first} last={last} title={title} />
      ) : (
        <p class="soft plot-wait">Collecting data…</p>
      )}
    </figure>
  )
}

function Drawing({
  points,
  first,
  last,
  title,
}: {
  points: readonly Point[]
  first: Point
  last: Point
  title: string
}) {
  const top = Math.max(1, ...points.map(({ value }) => value))
  const x = (ms: number) => (((ms - first.ms) / (last.ms - first.ms)) * width).toFixed(1)
  const y = (value: number) => (height - margin - (value / top) * (height - 2 * margin)).toFixed(1)
  const line = points.map(({ ms, value }) => `${x(ms)},${y(value)}`).join(' ')
  const over = `last ${spanOf(last.ms - first.ms)}`
  const most = `at most ${Math.round(top).toLocaleString('en')}`
  return (
    <>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}, ${over}: now ${Math.round(last.value)}, ${most}.`}
      >
        <polygon points={`0,${height} ${line} ${width},${height}`} class="plot-area" />
        <polyline points={line} class="plot-line" vector-effect="non-scaling-stroke" />
      </svg>
      <p class="plot-foot soft" aria-hidden="true">
        <span>{over}</span> <span>{most}</span>
      </p>
    </>
  )
}
