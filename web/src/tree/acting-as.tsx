import { useState } from 'preact/hooks'
import { useApi } from '../context.ts'

/** In whose name things are done to the tree: for as long as the page is open. */
export function ActingAs() {
  const api = useApi()
  const [agent, setAgent] = useState(api.agent)
  const name = (text: string) => {
    setAgent(text)
    api.agent = text.trim() || api.usualAgent
  }
  return (
    <label class="agent">
      <span>Acting as</span>
      <input
        value={agent}
        maxLength={200}
        spellcheck={false}
        onInput={({ currentTarget }) => name(currentTarget.value)}
      />
    </label>
  )
}
