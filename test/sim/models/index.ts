import type { Model } from '../model.ts'
import { http } from './http.ts'
import { jobs } from './jobs.ts'
import { list } from './list.ts'
import { plan } from './plan.ts'
import { queue } from './queue/workload.ts'
import { tree } from './tree.ts'

export const models: ReadonlyMap<string, Model> = new Map(
  [jobs, http, queue, list, plan, tree].map((model) => [model.name, model]),
)
