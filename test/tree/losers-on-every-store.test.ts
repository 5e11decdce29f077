import assert from 'node:assert/strict'
import { test } from 'vitest'
import { flaky, type Store } from '../../src/store/index.ts'
import { isChanged, type Task, TaskTree, TreeError } from '../../src/tree/index.ts'
import { Caller, served } from '../http/served.ts'
import { mcpDesk } from '../mcp/client.ts'
import { onEveryStore } from '../models/stores.ts'
import { sized } from '../size.ts'
import { assertLayout } from './layout.ts'

/** What somebody hears: that it is done, that it was so already, or a code and who has it. */
type Heard = string
type Ask = (id: string, by: string) => Promise<Heard>

const heardOf = async (asked: Promise<Task>): Promise<Heard> => {
  try {
    return isChanged(await asked) ? 'done' : 'already'
  } catch (error) {
    assert.ok(error instanceof TreeError, String(error))
    return `${error.code} ${error.details['claimed_by'] ?? ''}`.trimEnd()
  }
}

interface Refused {
  readonly code: string
  readonly details: { readonly claimed_by?: string }
}

const http =
  (api: Caller, method: string, path: string, body: object): Ask =>
  async (id, agent) => {
    const answer = await api.ask<Refused>(method, `/api/tasks/${id}/${path}`, { agent, body })
    if (answer.status === 200)
      return answer.headers.get('x-changed') === 'false' ? 'already' : 'done'
    return `${answer.body.code} ${answer.body.details.claimed_by ?? ''}`.trimEnd()
  }

const words: Readonly<Record<string, string>> = {
  conflict: 'ALREADY_CLAIMED',
  not_owner: 'NOT_CLAIM_OWNER',
}

const mcp =
  (store: Store, given: object): Ask =>
  async (id, agent) => {
    await using desk = await mcpDesk({ store })
    const { isError, data } = await desk.call('tree_change', { ...given, id, agent })
    if (isError) return `${words[data.error.code]} ${data.error.claimed_by ?? ''}`.trimEnd()
    return data.changed ? 'done' : 'already'
  }

const bulkClose =
  (store: Store): Ask =>
  async (id, by) => {
    const request = { action: 'close', task_ids: [id], reason: `said ${by}` } as const
    const [result] = await new TaskTree(store).bulk(request, by)
    assert.ok(result)
    return result.success ? (result.changed ? 'done' : 'already') : result.error.message
  }

const bulkCloseOverHttp =
  (api: Caller): Ask =>
  async (id, agent) => {
    const body = { action: 'close', task_ids: [id], reason: `said ${agent}` }
    const answer = await api.done<{
      results: { success: boolean; changed?: boolean; code?: string }[]
    }>('POST', '/api/tasks/bulk', { agent, body })
    const [result] = answer.results
    if (!result?.success) return String(result?.code)
    return result.changed === false ? 'already' : 'done'
  }

/** Each by a way of its own, at once, over an opener of its own; answers with what each hears. */
async function race(id: string, asks: readonly Ask[]): Promise<[agent: string, heard: Heard][]> {
  const agents = asks.map((_, at) => `agent-${at}`)
  const heard = await Promise.all(asks.map((ask, at) => ask(id, agents[at] as string)))
  return agents.map((agent, at) => [agent, heard[at] as Heard])
}

const rounds = sized(2, 30)

onEveryStore('losers of a race', { check: assertLayout }, (ground) => {
  /** Late by moments that differ, so that agents meet in other orders each time. */
  const opener = async (seed: number) => flaky(await ground.open(), { delayMsMax: 3, seed })

  test('for a claim hear who won, whichever verb asks', async () => {
    await using serving = await served(await opener(1))
    const api = await Caller.to(serving.url)
    const [a, b, c, d] = [await opener(2), await opener(3), await opener(4), await opener(5)]
    const asks: readonly Ask[] = [
      (id, by) => heardOf(new TaskTree(a).claim(id, by)),
      (id, by) => heardOf(new TaskTree(b).setStatus(id, 'in_progress', by)),
      (id, by) => heardOf(new TaskTree(a).claim(id, by, { tags: ['x'] })),
      http(api, 'POST', 'claim', {}),
      http(api, 'PATCH', 'status', { status: 'in_progress' }),
      mcp(c, { action: 'claim' }),
      mcp(d, { action: 'claim', add_tags: ['y'] }),
    ]
    const tree = new TaskTree(ground.store)
    for (let round = 0; round < rounds; round++) {
      const { id } = await tree.create({ title: 'wanted' })
      const heard = await race(id, asks)
      const { claimed_by } = await tree.get(id)
      assert.deepEqual(
        heard,
        heard.map(([agent]) => [
          agent,
          agent === claimed_by ? 'done' : `ALREADY_CLAIMED ${claimed_by}`,
        ]),
      )
      const claims = await tree.history(id, { field: 'claimed_by' })
      assert.deepEqual(
        claims.map(({ new_value }) => new_value),
        [claimed_by],
      )
    }
  })

  test('for a close hear that it was closed, and only the reason of the first is kept', async () => {
    await using serving = await served(await opener(1))
    const api = await Caller.to(serving.url)
    const [a, b, c] = [await opener(2), await opener(3), await opener(4)]
    const asks: readonly Ask[] = [
      (id, by) => heardOf(new TaskTree(a).setStatus(id, 'closed', by, { reason: `said ${by}` })),
      (id, by) => http(api, 'PATCH', 'status', { status: 'closed', reason: `said ${by}` })(id, by),
      bulkClose(b),
      bulkCloseOverHttp(api),
      mcp(c, { action: 'approve' }),
      (id, by) => heardOf(new TaskTree(c).approve(id, by)),
      http(api, 'POST', 'approve', {}),
    ]
    const strict = [5, 6]
    const tree = new TaskTree(ground.store)
    for (let round = 0; round < rounds; round++) {
      const { id } = await tree.create({ title: 'to review' })
      await tree.claim(id, 'ann')
      await tree.complete(id, 'ann')
      const heard = await race(id, asks)
      const closing = (await tree.history(id, { field: 'status' })).filter(
        ({ new_value }) => new_value === 'closed',
      )
      assert.equal(closing.length, 1)
      const { changed_by, reason } = closing[0] as { changed_by: string; reason?: string }
      assert.deepEqual(
        heard,
        heard.map(([agent], at) => [
          agent,
          agent === changed_by ? 'done' : strict.includes(at) ? 'INVALID_TRANSITION' : 'already',
        ]),
      )
      assert.ok(reason === undefined || reason === `said ${changed_by}`, reason)
    }
  })
})
