import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'vitest'
import { operations as jobs } from '../../src/jobs/operations.ts'
import { operations as list } from '../../src/list/operations.ts'
import { operations as plan } from '../../src/plan/operations.ts'
import { operations as queue } from '../../src/queue/operations.ts'
import { httpForm, type Operation } from '../../src/schema/index.ts'
import { operations as tree } from '../../src/tree/operations.ts'

const tables: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  ...{ jobs, list, plan, queue },
  tree: Object.assign({}, ...Object.values(tree)),
}

describe.each(Object.entries(tables))('the operations of the %s', (name, table) => {
  const rows = Object.values(table) as Operation[]

  test('name in their paths, roles and agents only what they are given', () => {
    for (const { http, input, adminIf = {}, agent } of rows) {
      assert.match(http, /^(GET|POST|PUT|PATCH|DELETE) \/api\/[\w/:?&-]+$/)
      const named = http.match(/(?<=[:?&])\w+/g) ?? []
      for (const each of [...named, ...Object.keys(adminIf), ...(agent ? [agent] : [])])
        assert.ok(each in input, `${http}: ${each}`)
      for (const each of http.match(/(?<=:)\w+/g) ?? []) assert.ok(input[each]?.isRequired, http)
    }
  })

  test('are each asked for in a way of their own', () => {
    const targets = rows.map(({ http }) => http.split('?')[0])
    assert.equal(new Set(targets).size, targets.length)
  })

  test('bring nothing of Node, so that a browser can import them', () => {
    assert.deepEqual(foreign(`src/${name}/operations.ts`), [])
  })
})

test('an input is in the path, the query, the header of agents, or the body', () => {
  const { release } = tree.work
  assert.deepEqual(httpForm(release), {
    method: 'POST',
    path: '/api/tasks/:id/release',
    places: { id: 'path', force: 'query', agent: 'header' },
  })
  assert.deepEqual(httpForm(jobs.claim).places, { id: 'path', worker_id: 'body' })
  assert.equal(httpForm(tree.lists.list).places['tag'], 'query')
})

/** What a file needs at run time beside our own files. */
function foreign(path: string, seen = new Set<string>()): string[] {
  if (seen.has(path)) return []
  seen.add(path)
  const statements = readFileSync(path, 'utf8').matchAll(
    /^(?:import|export) (?!type\b)([^'"]*?)from '([^']+)'/gm,
  )
  return [...statements].flatMap(([, names = '', specifier = '']) => {
    const inner = /\{([^}]*)\}/.exec(names)?.[1]
    const parts = inner?.split(',').map((part) => part.trim()) ?? ['*']
    if (parts.every((part) => part === '' || part.startsWith('type '))) return []
    return specifier.startsWith('.') ? foreign(join(dirname(path), specifier), seen) : [specifier]
  })
}
