import type { TargetedSubmitEvent } from 'preact'
import { useState } from 'preact/hooks'
import { parseKeys } from './bucket/pasted.ts'
import { guessPlace } from './bucket/place.ts'
import { Button } from './show/button.tsx'
import { FailureBox } from './show/notice.tsx'
import { Failure, failureOf, outcomeOf } from './source/failure.ts'
import { connectServer } from './source/server.ts'
import type { Source } from './source/source.ts'

const Title = ({ children }: { children: string }) => (
  <>
    <p class="brand">
      <svg viewBox="0 0 32 32" aria-hidden="true">
        <path d="M10 7v18M22 7v18M10 16h12" />
      </svg>
      Holdfast
    </p>
    <h1>{children}</h1>
  </>
)

const typed = (form: HTMLFormElement, name: string): string =>
  String(new FormData(form).get(name) ?? '').trim()

interface ConnectProps {
  readonly onSource: (source: Source) => void
}

/** Tries to connect. Whatever goes wrong, the form stays as it was typed. */
function useConnecting(
  { onSource }: ConnectProps,
  connect: (form: HTMLFormElement) => Promise<Source>,
) {
  const [failure, setFailure] = useState<Failure | null>(null)
  const [isBusy, setBusy] = useState(false)
  const run = async (form: HTMLFormElement) => {
    setBusy(true)
    setFailure(null)
    const found = await outcomeOf(() => connect(form))
    if ('value' in found) return onSource(found.value)
    setFailure(found.failure)
    setBusy(false)
  }
  const onSubmit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    // Enter may be pressed again in a field.
    if (!isBusy) void run(event.currentTarget)
  }
  return { failure, isBusy, onSubmit }
}

const Connect = ({ isBusy }: { isBusy: boolean }) => (
  <p class="buttons">
    <Button kind="main" isBusy={isBusy}>
      {isBusy ? 'Connecting…' : 'Connect'}
    </Button>
  </p>
)

export function ConnectServer({ address, ...ends }: ConnectProps & { address: URL }) {
  const { failure, isBusy, onSubmit } = useConnecting(ends, async (form) => {
    const source = await connectServer(address, typed(form, 'token')).catch(wrongToken)
    if (source !== null) return source
    throw new Failure('other', 'Holdfast is not at this address anymore.', 'Reload the page.')
  })
  return (
    <form class="connect" onSubmit={onSubmit}>
      <Title>This server needs a token</Title>
      {failure && <FailureBox failure={failure} />}
      <label class="field">
        <span>Token</span>
        <input name="token" type="password" autoComplete="off" required />
      </label>
      <p class="soft small">It stays in this tab’s memory and is sent only to this server.</p>
      <Connect isBusy={isBusy} />
    </form>
  )
}

function wrongToken(error: unknown): never {
  throw failureOf(error).kind === 'unauthorized'
    ? new Failure(
        'unauthorized',
        'Wrong token.',
        'Enter a token of your own, or the one that the server was started with.',
      )
    : error
}

/** Keys are typed or pasted into a form that keeps them nowhere: not in the address, not in any storage. */
export function ConnectBucket(ends: ConnectProps) {
  const guessed = guessPlace(location.href)
  const { failure, isBusy, onSubmit } = useConnecting(ends, async (form) => {
    const keys = parseKeys({
      pasted: typed(form, 'pasted'),
      accessKeyId: typed(form, 'access'),
      secretAccessKey: typed(form, 'secret'),
      sessionToken: typed(form, 'session'),
    })
    const place = {
      endpoint: typed(form, 'endpoint'),
      bucket: typed(form, 'bucket'),
      prefix: typed(form, 'prefix'),
      region: typed(form, 'region'),
    }
    const { connectBucket } = await import('./bucket/connect.ts').catch(partMissing)
    return connectBucket(place, keys)
  })
  return (
    <form class="connect" autoComplete="off" onSubmit={onSubmit}>
      <Title>Look at a bucket</Title>
      <p class="soft">
        No server answers here, so the page asks S3 directly. Use temporary keys, such as those of{' '}
        <code>aws sts get-session-token</code>. To only look, read-only keys are enough.
      </p>
      {failure && <FailureBox failure={failure} />}
      <PlaceFields guessed={guessed} />
      <KeyFields />
      <p class="soft small">
        The keys stay in this tab’s memory until you close or reload it. They are sent nowhere:
        requests are signed here.
      </p>
      <Connect isBusy={isBusy} />
    </form>
  )
}

/** The part of the page that a bucket needs is loaded once there is one. */
function partMissing(): never {
  throw new Failure(
    'unreachable',
    'A part of the page could not be loaded.',
    'Check the connection, then reload the page.',
  )
}

const PlaceFields = ({ guessed }: { guessed: ReturnType<typeof guessPlace> }) => (
  <fieldset>
    <legend>Where</legend>
    <label class="field">
      <span>Bucket</span>
      <input name="bucket" required defaultValue={guessed.bucket} spellcheck={false} />
    </label>
    <label class="field">
      <span>Folder (optional)</span>
      <input name="prefix" defaultValue={guessed.prefix} spellcheck={false} />
    </label>
    <label class="field">
      <span>Endpoint (empty for AWS)</span>
      <input
        name="endpoint"
        type="url"
        placeholder="https://minio.example:9000"
        defaultValue={guessed.endpoint}
        spellcheck={false}
      />
    </label>
    <label class="field">
      <span>Region</span>
      <input name="region" defaultValue={guessed.region} spellcheck={false} />
    </label>
  </fieldset>
)

const KeyFields = () => (
  <fieldset>
    <legend>Keys</legend>
    <label class="field">
      <span>Access key ID</span>
      <input name="access" autoComplete="off" spellcheck={false} />
    </label>
    <label class="field">
      <span>Secret access key</span>
      <input name="secret" type="password" autoComplete="off" />
    </label>
    <label class="field">
      <span>Session token (optional)</span>
      <input name="session" type="password" autoComplete="off" />
    </label>
    <details>
      <summary>Or paste what the AWS command printed</summary>
      <label class="field">
        <span>JSON of aws sts, or lines such as AWS_ACCESS_KEY_ID=…</span>
        <textarea name="pasted" rows={4} autoComplete="off" spellcheck={false} />
      </label>
    </details>
  </fieldset>
)
