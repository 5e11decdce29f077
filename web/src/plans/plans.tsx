import { useApi } from '../context.ts'
import { useReading } from '../reading.ts'
import { hrefOf } from '../route.ts'
import { useArrows } from '../show/arrows.ts'
import { Empty, Shown } from '../show/notice.tsx'
import { Status } from '../show/status.tsx'
import { Line, plain } from '../show/text.tsx'
import { Ago } from '../show/time.tsx'
import type { PlanSummary } from '../source/api.ts'

export function Plans() {
  const api = useApi()
  const plans = useReading(['plans'], 'plan', (_, { signal }) => api.plans(signal))
  return (
    <>
      <header class="view-head">
        <h1>Plans</h1>
      </header>
      <Shown reading={plans} what="the sessions">
        {({ items, total }) =>
          items.length === 0 ? (
            <Empty title="No plans yet.">
              Agents start one in their directory: <code>np s</code>
            </Empty>
          ) : (
            <>
              <Sessions items={items} />
              {items.length < total && (
                <p class="soft small">
                  {items.length} of {total} sessions.
                </p>
              )}
            </>
          )
        }
      </Shown>
    </>
  )
}

function Sessions({ items }: { items: readonly PlanSummary[] }) {
  const list = useArrows<HTMLUListElement>('plans')
  return (
    <ul class="sessions" ref={list}>
      {items.map(({ session, goal }) => (
        <li key={session.sid} data-row={session.sid}>
          <a class="panel session" href={hrefOf(['plans', session.sid])}>
            <span class="session-goal">
              {goal ? <Line text={goal.title} /> : <span class="soft">no goal yet</span>}
            </span>
            <Status status={session.state} />
            <code class="soft">{plain(session.dir_path)}</code>
            <span class="soft small">
              <Ago time={session.last_updated_at} />
            </span>
          </a>
        </li>
      ))}
    </ul>
  )
}
