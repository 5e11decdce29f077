import type { Json } from '../../../src/queue/task.ts'
import { useConnected } from '../context.ts'
import { go } from '../route.ts'
import { Field, FormDialog, type Typed } from '../show/form.tsx'
import { Failure } from '../source/failure.ts'
import type { Draft } from '../source/source.ts'

/** Asks for a task, submits it, and goes to its page. */
export function SubmitForm({ onClose }: { onClose: () => void }) {
  const { source } = useConnected()
  const run = async (typed: Typed) => {
    const { id } = await source.queue.submit(draftOf(typed))
    go(['queue', 'task', id])
  }
  return (
    <FormDialog title="Submit a task" button="Submit" run={run} onDone={onClose} onClose={onClose}>
      <Field name="Type">
        <input name="type" required maxLength={200} placeholder="send_email" spellcheck={false} />
      </Field>
      <Field name="Input, as JSON (nothing for null)">
        <textarea
          name="input"
          class="code"
          rows={6}
          spellcheck={false}
          placeholder={'{ "to": "ada@example.com" }'}
        />
      </Field>
      <details>
        <summary>When, how often, how long</summary>
        <div class="pair">
          <Field name="Wait before it can be claimed, s">
            <input name="delay" type="number" min={0} step="any" placeholder="0" />
          </Field>
          <Field name="Retries">
            <input name="retries" type="number" min={0} placeholder="3" />
          </Field>
          <Field name="Limit for an attempt, s">
            <input name="timeout" type="number" min={1} max={604_800} placeholder="300" />
          </Field>
          {source.kind === 'server' && (
            <Field name="Idempotency key">
              <input name="key" placeholder="none" spellcheck={false} />
            </Field>
          )}
        </div>
      </details>
    </FormDialog>
  )
}

const draftOf = (typed: Typed): Draft => {
  const number = (name: string) => (typed(name) === '' ? null : Number(typed(name)))
  return {
    type: typed('type'),
    input: inputOf(typed('input')),
    delaySeconds: number('delay'),
    maxRetries: number('retries'),
    timeoutSeconds: number('timeout'),
    idempotencyKey: typed('key') || null,
  }
}

function inputOf(text: string): Json {
  if (text === '') return null
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    throw new Failure(
      'invalid',
      `The input is no JSON: ${(error as Error).message}.`,
      'Names and texts stand in double quotes: { "name": "world" }.',
    )
  }
}
