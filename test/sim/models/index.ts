import type { Model } from '../model.ts'
import { jobs } from './jobs.ts'

export const models: ReadonlyMap<string, Model> = new Map(
  [jobs].map((model) => [model.name, model]),
)
