import assert from 'node:assert/strict'
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, test, vi } from 'vitest'
import {
  hasCredentials,
  isStoreForeign,
  isStoreInside,
} from '../../../src/cli/program/store-choice.ts'
import { giveAway } from '../foreign.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-place-')))
const project = join(root, 'project')
beforeAll(() => {
  for (const folder of ['project/data/deep', 'outside/deep', 'project-2'])
    mkdirSync(join(root, folder), { recursive: true })
  writeFileSync(join(root, 'outside/victim.db'), '')
  const links: Readonly<Record<string, string>> = {
    out: '../outside',
    'out-absolute': `${root}/outside`,
    'data/up': '../..',
    'file.db': '../outside/victim.db',
    'nowhere.db': '../outside/not-there.db',
    'far.db': 'out/far/not-there.db',
    in: 'data',
    'in.db': 'data/x.db',
    'first.db': 'second.db',
    'second.db': 'out/x.db',
    'loop.db': 'loop.db',
    'out-deep': '../outside/deep',
  }
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(project, name))
  symlinkSync('project', join(root, 'alias'))
  writeFileSync(join(root, 'outside/own.db'), '')
  linkSync(join(root, 'outside/own.db'), join(project, 'second-name.db'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

describe('a store lies inside a folder', () => {
  const inside = [
    `sqlite:${project}/x.db`,
    `sqlite://${project}/x.db`,
    `sqlite:${project}/data/none/yet/x.db`,
    `sqlite:${project}/data/../x.db`,
    `sqlite:${project}/in/x.db`,
    `sqlite:${project}/in.db`,
    `sqlite:${root}/alias/x.db`,
    `sqlite:${root}/outside/../project/x.db`,
    'memory:',
    'memory:shared',
  ]
  for (const url of inside)
    test(`${url.replace(root, '')} does`, () => assert.ok(isStoreInside(url, project)))

  test('also where the folder itself is named by a link', () => {
    assert.ok(isStoreInside(`sqlite:${root}/alias/x.db`, join(root, 'alias')))
    assert.ok(isStoreInside(`sqlite:${project}/x.db`, join(root, 'alias')))
    assert.ok(isStoreInside('sqlite:/x.db', '/'))
  })

  const outside = [
    `sqlite:${root}/x.db`,
    `sqlite:${root}/outside/x.db`,
    `sqlite:${root}/project-2/x.db`,
    `sqlite:${project}`,
    `sqlite:${project}/../x.db`,
    `sqlite:${project}/../outside/x.db`,
    `sqlite:${project}/out/x.db`,
    `sqlite:${project}/out-absolute/x.db`,
    `sqlite:${project}/out/none/yet/x.db`,
    `sqlite:${project}/data/up/outside/x.db`,
    `sqlite:${project}/file.db`,
    `sqlite:${project}/nowhere.db`,
    `sqlite:${project}/second-name.db`,
    `sqlite:${project}/far.db`,
    `sqlite:${project}/first.db`,
    `sqlite:${project}/loop.db`,
    // The system takes `..` after the link, not before it.
    `sqlite:${project}/out-deep/../x.db`,
    `sqlite:~/${relative(homedir(), '/')}/x.db`,
    'sqlite:~/x.db',
    'sqlite:relative.db',
    'sqlite:',
    'nats://localhost:4222',
    's3://bucket',
    's3://bucket?endpoint=http://localhost:9000',
    `file:${project}/x.db`,
    `SQLITE:${project}/x.db`,
    'x',
    '',
  ]
  for (const url of outside)
    test(`${JSON.stringify(url.replace(root, ''))} does not`, () =>
      assert.ok(!isStoreInside(url, project)))
})

test('a store is foreign once another user has made its file, by a link to it too', () => {
  const file = join(root, 'outside/victim.db')
  const urls = [`sqlite:${file}`, `sqlite:${project}/file.db`]
  for (const url of [...urls, `sqlite:${project}/none.db`, 'memory:', 'sqlite:', 'nats://host'])
    assert.ok(!isStoreForeign(url), url)
  giveAway(file)
  for (const url of urls) assert.ok(isStoreForeign(url), url)
  vi.restoreAllMocks()
})

describe('a URL brings credentials', () => {
  const bringing = [
    'nats://ann:secret@host:4222',
    'nats://token@host',
    'nats://to?ken@host',
    'nats://host?monitor=http://a,http://token@b',
    'nats://a,ann:secret@b',
    'nats://ann:se/cr?et@host',
    'nats://host?nkey=SUAM',
    'nats://host?creds=/home/ann/ann.creds',
    'nats://host?%63reds=x',
    'nats://host?replicas=3&creds=x',
    'nats://host?tls_cert=a.pem',
    'nats://host?tls_key=a.pem',
    'nats://host?tls_ca=a.pem',
    'nats://host?monitor=http://ann:secret@host:8222',
    's3://key:secret@bucket',
    's3://key:sec/ret@bucket',
    's3://bucket?endpoint=https://key:secret@host',
    's3://bucket?endpoint=https%3A%2F%2Fkey%3Asecret%40host',
    's3://bucket?access_key=x',
    's3://bucket?secret=x',
    'S3://bucket?session_token=x',
  ]
  for (const url of bringing) test(url, () => assert.ok(hasCredentials(url)))

  const without = [
    'nats://host:4222',
    'nats://a:4222,b:4222?replicas=3&history=2&atomic=false&timeout_ms=100',
    'nats://host?tls=true&monitor=http://host:8222',
    's3://bucket/prefix?endpoint=http://localhost:9000&region=x&path_style=true&probe=never',
    's3://bucket/team@home',
    'sqlite:/home/ann@work/tasks:1.db',
    'sqlite:///home/a:b@c.db',
    'memory:',
  ]
  for (const url of without) test(`but not ${url}`, () => assert.ok(!hasCredentials(url)))
})
