import type { Model } from '../model.ts'
import { http } from './http.ts'
import { jobs } from './jobs.ts'

export const models: ReadonlyMap<string, Model> = new Map(
  [jobs, http].map((model) => [model.name, model]),
)
