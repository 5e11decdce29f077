import assert from 'node:assert/strict'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, test } from 'vitest'
import { openStore } from '../../../src/store/index.ts'
import { Caller, served } from '../served.ts'
import { plant } from './planted.ts'
import { opened } from './served.ts'

describe('the document', () => {
  test('is valid, and has the tree as coven has it', async () => {
    await using store = await openStore('memory:')
    const { api, serving } = await opened(store)
    await using _ = serving
    await using coven = await served(store)
    const { document: tree } = await Caller.to(coven.url)
    const outcome = await new Validator().validate(structuredClone(api.document) as never)
    assert.equal(outcome.valid, true, JSON.stringify(outcome.errors ?? []).slice(0, 500))
    for (const [path, operations] of Object.entries(tree.paths))
      assert.deepEqual(api.document.paths[path], operations, path)
    for (const [name, schema] of Object.entries(tree.components.schemas))
      assert.deepEqual(api.document.components.schemas[name], schema, name)
    const ids = Object.values(api.document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    )
    assert.equal(new Set(ids).size, ids.length)
  })

  test('a corrupt task of the tree is told as coven tells it', async () => {
    await using store = await openStore('memory:')
    const { api, serving } = await opened(store)
    await using _ = serving
    await plant(store, 'coven/tasks/01a1e099-0000-7000-8000-000000000000')
    await api.refused(['GET', '/api/tasks/01a1e099-0000-7000-8000-000000000000'], 'INTERNAL_ERROR')
  })
})
