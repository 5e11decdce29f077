import assert from 'node:assert/strict'
import { test } from 'vitest'
import * as client from '../src/client/index.ts'
import { Refusal } from '../src/collection/index.ts'
import * as jobs from '../src/jobs/index.ts'
import * as list from '../src/list/index.ts'
import * as plan from '../src/plan/index.ts'
import * as queue from '../src/queue/index.ts'
import * as conformance from '../src/store/conformance/index.ts'
import * as store from '../src/store/index.ts'
import * as tree from '../src/tree/index.ts'

/** What each entry point of the package offers. A change here is a change for every user. */
test('holdfast/store exports exactly this', () => {
  assert.deepEqual(Object.keys(store).sort(), [
    'Feed',
    'StoreError',
    'UnreadableValueError',
    'checkKey',
    'checkPrefix',
    'commitWritesMax',
    'compareKeys',
    'counted',
    'create',
    'escapeSegment',
    'flaky',
    'guarded',
    'isSegment',
    'joinKey',
    'keyBytesMax',
    'keyRange',
    'limited',
    'mutate',
    'namespaceOf',
    'openStore',
    'paged',
    'prefixed',
    'remove',
    'shownUrl',
    'storeFile',
    'storeUrlForms',
    'unescapeSegment',
    'update',
    'valueBytesMax',
  ])
})

test('holdfast/client exports exactly this', () => {
  assert.deepEqual(Object.keys(client).sort(), ['ClientError', 'answerOf', 'holdfastClient'])
})

test('holdfast/store/conformance exports exactly this', () => {
  assert.deepEqual(Object.keys(conformance).sort(), ['storeConformance'])
})

test('holdfast/jobs exports exactly this', () => {
  assert.deepEqual(Object.keys(jobs).sort(), [
    'ChangedMeanwhileError',
    'CorruptTaskError',
    'InvalidResultError',
    'InvalidTaskError',
    'InvalidWorkerIdError',
    'MaxAttemptsReachedError',
    'Refusal',
    'StoreClosedError',
    'TaskAlreadyClaimedError',
    'TaskCompletedError',
    'TaskError',
    'TaskExistsError',
    'TaskFailedError',
    'TaskManager',
    'TaskNotClaimedError',
    'TaskNotFoundError',
    'TaskNotTerminalError',
    'WrongWorkerError',
    'stateOf',
    'statuses',
  ])
})

test('holdfast/list exports exactly this', () => {
  assert.deepEqual(Object.keys(list).sort(), [
    'AmbiguousPrefixError',
    'ChangedMeanwhileError',
    'CorruptDocumentError',
    'InvalidTaskError',
    'Refusal',
    'TaskList',
    'TaskNotFoundError',
    'stateOf',
  ])
})

test('holdfast/plan exports exactly this', () => {
  assert.deepEqual(Object.keys(plan).sort(), [
    'AmbiguousSessionError',
    'ChangedMeanwhileError',
    'CorruptDocumentError',
    'GoalAlreadySetError',
    'InvalidPlanError',
    'NoGoalError',
    'NoSessionError',
    'PlanError',
    'Plans',
    'ReasonMissingError',
    'Refusal',
    'SessionArchivedError',
    'SessionNotFoundError',
    'TaskNotFoundError',
    'stateOf',
    'statuses',
  ])
})

test('holdfast/queue exports exactly this', () => {
  assert.deepEqual(Object.keys(queue).sort(), [
    'AmbiguousIdError',
    'ChangedMeanwhileError',
    'CorruptDocumentError',
    'CorruptTaskError',
    'InvalidTaskError',
    'LostLeaseError',
    'Metrics',
    'Monitor',
    'NotAvailableError',
    'PermanentError',
    'Queue',
    'QueueError',
    'Refusal',
    'TaskExistsError',
    'TaskGauges',
    'TaskNotFoundError',
    'TransitionError',
    'Worker',
    'WorkerNotFoundError',
    'commandHandler',
    'examine',
    'killCommands',
    'retryPolicyDefault',
    'shards',
    'stateOf',
    'statuses',
    'taskType',
  ])
})

test('holdfast/tree exports exactly this', () => {
  assert.deepEqual(Object.keys(tree).sort(), [
    'ActiveChildrenError',
    'AlreadyClaimedError',
    'AmbiguousIdError',
    'CorruptDocumentError',
    'CycleError',
    'InvalidTaskError',
    'InvalidTransitionError',
    'MatcherFile',
    'NotClaimOwnerError',
    'NotClaimableError',
    'ParentNotFoundError',
    'PreconditionFailedError',
    'Refusal',
    'TaskActiveError',
    'TaskNotFoundError',
    'TaskTree',
    'TreeError',
    'chooseGrimoire',
    'explainGrimoire',
    'isChanged',
    'nestedSubtree',
    'parseMatchers',
    'statuses',
    'taskTypes',
  ])
})

test('every error has the name of its class', () => {
  // An object with the length of a text serves as any argument.
  const given = Object('x')
  for (const model of [jobs, list, plan, queue, tree])
    for (const [name, Class] of Object.entries<unknown>({ ...model })) {
      const isOwn = /Error$/.test(name) && Object.getPrototypeOf(Class) !== Refusal
      if (!isOwn) continue
      const { name: said } = new (Class as new (...given: unknown[]) => Error)(given, given, given)
      assert.equal(said, name)
    }
})
