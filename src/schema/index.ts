export {
  checkField,
  type DocumentOf,
  documentIn,
  documentSchema,
  type Field,
  type Fields,
  field,
  givenFields,
  objectIn,
  type SetBy,
  schemasOf,
} from './fields.ts'
export {
  count,
  flag,
  json,
  type Kind,
  kind,
  listOf,
  name,
  oneOf,
  orNull,
  text,
  time,
} from './kind.ts'
export { type JsonSchema, type ObjectSchema, objectOf, published, ref } from './schema.ts'
