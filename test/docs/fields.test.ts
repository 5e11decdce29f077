import { expect, test } from 'vitest'
import { fieldsPage } from './fields-page.ts'

// After a change of fields: npx vitest run test/docs/fields -u
test('docs/fields.md says what the field tables of the models say', async () => {
  await expect(fieldsPage()).toMatchFileSnapshot('../../docs/fields.md')
})
