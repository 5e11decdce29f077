import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import {
  parseObjects,
  parseUndeleted,
  parseVersioning,
  parseVersions,
} from '../../../src/store/drivers/s3/xml.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

describe('answers of S3', () => {
  test('a page of objects: entities, encoded names, quoted ETags, elements that are empty', () => {
    const items = Array.from(
      { length: 1000 },
      (_, at) =>
        `<Contents><Key>tasks/0/a%2B+&amp;&#x41;&#66;${at}</Key><ETag>&quot;e${at}&quot;</ETag>` +
        `<Size>${at % 3}</Size><Owner><ID>x</ID><DisplayName/></Owner></Contents>`,
    )
    const page = parseObjects(
      bytes(
        '<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">' +
          '<Name>b</Name><EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>' +
          `${items.join('\n  ')}<NextContinuationToken>a&gt;b==</NextContinuationToken></ListBucketResult>\n`,
      ),
    )
    assert.equal(page?.objects.length, 1000)
    const [first, , , , fifth] = page.objects
    assert.deepEqual(first, { name: 'tasks/0/a+ &AB0', etag: 'e0', isEmpty: true })
    assert.deepEqual(fifth, { name: 'tasks/0/a+ &AB4', etag: 'e4', isEmpty: false })
    assert.equal(page.nextToken, 'a>b==')
    assert.deepEqual(parseObjects(bytes('<ListBucketResult/>')), { objects: [], nextToken: null })
  })

  test('versions and delete markers in their order', () => {
    const page = parseVersions(
      bytes(
        '<ListVersionsResult><IsTruncated>true</IsTruncated><Version><Key>k</Key><VersionId>2</VersionId>' +
          '<ETag>"e"</ETag><Size>0</Size></Version><DeleteMarker><Key>k</Key><VersionId>1</VersionId></DeleteMarker>' +
          '<NextKeyMarker>k</NextKeyMarker><NextVersionIdMarker>1</NextVersionIdMarker></ListVersionsResult>',
      ),
    )
    const told = page?.versions.map(({ id, isMarker, isEmpty, etag }) => [
      id,
      isMarker,
      isEmpty,
      etag,
    ])
    assert.deepEqual(told, [
      ['2', false, true, 'e'],
      ['1', true, false, ''],
    ])
    assert.deepEqual(page?.next, { key: 'k', version: '1' })
  })

  test('comments, attributes, and texts as they are', () => {
    const versioning = (inside: string) =>
      parseVersioning(
        bytes(
          `<?xml version="1.0"?><!-- a > b --><VersioningConfiguration xmlns="http://x/">${inside}</VersioningConfiguration>`,
        ),
      )
    assert.equal(versioning('<Status>Enabled</Status>'), 'on')
    assert.equal(versioning('<Status >Suspended</Status >'), 'suspended')
    assert.equal(versioning(''), 'off')
    const undeleted = '<DeleteResult><Error><Key><![CDATA[a<b&amp;]]></Key></Error></DeleteResult>'
    assert.deepEqual(parseUndeleted(bytes(undeleted)), ['a<b&amp;'])
  })

  test('what is no answer, or none that is whole, is nobody’s', () => {
    for (const text of [
      '',
      'no',
      '<html><body><br></body></html>',
      '<ListBucketResult>',
      '<ListBucketResult><Name></ListBucketResult>',
      '<ListBucketResult></ListBucketResult></ListBucketResult>',
      '<ListBucketResult><Name>a</Name></ListBucketResult',
      '<Error><Code>AccessDenied</Code></Error>',
      `<ListBucketResult>${'<a'.repeat(50_000)}`,
      `<ListBucketResult>${'<!--'.repeat(50_000)}`,
    ])
      assert.equal(parseObjects(bytes(text)), null, text.slice(0, 50))
  })
})
