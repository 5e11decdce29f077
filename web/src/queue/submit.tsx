import type { Json, Task } from '../../../src/queue/task.ts'
import { useConnected } from '../context.ts'
import { Field, FormDialog, type Sent, type Typed } from '../show/form.tsx'
import { Failure } from '../source/failure.ts'
import type { Draft } from '../source/source.ts'

interface SubmitProps {
  readonly onDone: (task: Pick<Task, 'id'>) => void
  readonly onClose: () => void
}

/** Asks for a task and submits it. */
export function SubmitForm(ends: SubmitProps) {
  const { source } = useConnected()
  const run = async ({ typed }: Sent<undefined>) => source.queue.submit(draftOf(typed))
  return (
    <FormDialog title="Submit a task" button="Submit" run={run} {...ends}>
      <Field name="Type">
        <input name="type" required maxLength={200} placeholder="send_email" spellcheck={false} />
      </Field>
      <Field name="Input, as JSON (empty for null)">
        <textarea
          name="input"
          class="code"
          rows={6}
          spellcheck={false}
          placeholder={'{ "to": "ada@example.com" }'}
        />
      </Field>
      <details>
        <summary>Delay, retries, timeout</summary>
        <div class="pair">
          <Field name="Delay, s">
            <input name="delay" type="number" min={0} step="any" placeholder="0" />
          </Field>
          <Field name="Retries">
            <input name="retries" type="number" min={0} placeholder="3" />
          </Field>
          <Field name="Timeout per attempt, s">
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
      `The input is not JSON: ${(error as Error).message}.`,
      'Names and strings need double quotes: { "name": "world" }.',
    )
  }
}
