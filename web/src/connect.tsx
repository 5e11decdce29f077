import { useState } from 'preact/hooks'
import { connectBucket } from './bucket/connect.ts'
import { parseKeys } from './bucket/pasted.ts'
import { guessPlace } from './bucket/place.ts'
import { FailureBox } from './show/notice.tsx'
import { type Failure, failureOf } from './source/failure.ts'
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

export function ConnectServer({
  isWrong,
  onToken,
}: {
  isWrong: boolean
  onToken: (token: string) => void
}) {
  return (
    <form
      class="connect"
      onSubmit={(event) => {
        event.preventDefault()
        onToken(typed(event.currentTarget, 'token'))
      }}
    >
      <Title>This server wants a token</Title>
      {isWrong && (
        <div class="notice bad" role="alert">
          <p>
            <strong>That is not its token.</strong> Give the one that the server was started with.
          </p>
        </div>
      )}
      <label class="field">
        <span>Token</span>
        <input name="token" type="password" autoComplete="off" required />
      </label>
      <p class="soft small">
        It stays in the memory of this tab, and goes nowhere but to this server.
      </p>
      <p class="buttons">
        <button type="submit" class="main">
          Connect
        </button>
      </p>
    </form>
  )
}

/** Keys are typed or pasted into a form that is nowhere kept: not in the address, not in any storage. */
export function ConnectBucket({ onSource }: { onSource: (source: Source) => void }) {
  const [failure, setFailure] = useState<Failure | null>(null)
  const [isBusy, setBusy] = useState(false)
  const guessed = guessPlace(location.href)
  const connect = async (form: HTMLFormElement) => {
    setBusy(true)
    setFailure(null)
    try {
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
      onSource(await connectBucket(place, keys))
    } catch (error) {
      setFailure(failureOf(error))
      setBusy(false)
    }
  }
  return (
    <form
      class="connect"
      autoComplete="off"
      onSubmit={(event) => {
        event.preventDefault()
        void connect(event.currentTarget)
      }}
    >
      <Title>Look at a bucket</Title>
      <p class="soft">
        No server answers here, so the page asks S3 itself. Use keys that last for an hour, such as
        those of <code>aws sts get-session-token</code>; for looking only, keys that may only read.
      </p>
      {failure && <FailureBox failure={failure} />}
      <PlaceFields guessed={guessed} />
      <KeyFields />
      <p class="soft small">
        They stay in the memory of this tab until it is closed or loaded again, and go nowhere:
        requests are signed here.
      </p>
      <p class="buttons">
        <button type="submit" class="main" disabled={isBusy}>
          {isBusy ? 'Connecting…' : 'Connect'}
        </button>
      </p>
    </form>
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
      <span>Folder in it (if any)</span>
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
      <span>Access key id</span>
      <input name="access" autoComplete="off" spellcheck={false} />
    </label>
    <label class="field">
      <span>Secret access key</span>
      <input name="secret" type="password" autoComplete="off" />
    </label>
    <label class="field">
      <span>Session token, if there is one</span>
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
