import { counted } from '../show/text.tsx'
import { listedMax, type TaskPage } from '../source/source.ts'

const namedMax = 5

/** What a list should show and does not, said first. */
export const LeftOut = ({ page: { corrupt, cutShards } }: { page: TaskPage }) => (
  <>
    {corrupt.length > 0 && (
      <div class="notice warn">
        <p>
          <strong>
            {counted(corrupt.length, 'object')} can’t be read as{' '}
            {corrupt.length === 1 ? 'a task' : 'tasks'}
          </strong>{' '}
          and {corrupt.length === 1 ? 'is' : 'are'} not listed:{' '}
          {corrupt.slice(0, namedMax).join(', ')}
          {corrupt.length > namedMax ? ' …' : ''}. Repair with the tool that wrote{' '}
          {corrupt.length === 1 ? 'it' : 'them'}.
        </p>
      </div>
    )}
    {cutShards.length > 0 && (
      <div class="notice warn">
        <p>
          <strong>
            {cutShards.length === 1 ? 'Shard' : 'Shards'} {cutShards.join(', ')}: more than{' '}
            {listedMax.toLocaleString('en')} tasks each.
          </strong>{' '}
          Only the oldest of them are listed here; <code>holdfast serve</code> shows all.
        </p>
      </div>
    )}
  </>
)
