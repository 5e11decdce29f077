import type { JsonSchema } from '../../schema/index.ts'
import type { OpenApi, Operation, Parameter, Response } from '../openapi.ts'
import { type Html, html, prose } from './html.ts'
import { style } from './style.ts'

/** A page for people, made of the document, and its style. Nothing on it runs. */
export function docsPage(document: OpenApi): { html: string; css: string } {
  const { info, tags } = document
  const groups = tags.map((tag) => ({ ...tag, operations: operationsOf(document, tag.name) }))
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${info.title}: HTTP API</title>
<link rel="stylesheet" href="/docs.css">
</head>
<body>
<nav aria-label="Routes">
<p class="name"><a href="#top">${info.title}</a> <small>${info.version}</small></p>
${groups.map(({ name, operations }) => navigation(name, operations))}
<p class="group"><a href="#schemas">Schemas</a></p>
</nav>
<main id="top">
<h1>${info.title} <small>HTTP API</small></h1>
<p class="lead">${prose(info.description)}</p>
<p>The same as an OpenAPI 3.1 document, for programs: <a href="/openapi.json">/openapi.json</a></p>
${groups.map(
  ({ name, description, operations }) => html`
<section><h2 id="${idOf(name)}">${name}</h2><p>${prose(description)}</p>
${operations.map(operationHtml)}
</section>`,
)}
<section><h2 id="schemas">Schemas</h2>
${Object.entries(document.components.schemas).map(([name, schema]) => schemaHtml(name, schema))}
</section>
</main>
</body>
</html>
`
  return { html: page.text, css: style }
}

interface Placed {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

function operationsOf({ paths }: OpenApi, tag: string): Placed[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      operation.tags.includes(tag) ? [{ method: method.toUpperCase(), path, operation }] : [],
    ),
  )
}

const idOf = (name: string): string => name.toLowerCase().replace(/\W+/g, '-')

const navigation = (name: string, operations: readonly Placed[]): Html => html`
<p class="group"><a href="#${idOf(name)}">${name}</a></p>
<ul>${operations.map(
  ({ method, operation }) =>
    html`<li><a href="#${operation.operationId}"><span class="method ${method.toLowerCase()}">${method}</span>${operation.summary}</a></li>`,
)}</ul>`

const operationHtml = ({ method, path, operation }: Placed): Html => html`
<article id="${operation.operationId}">
<h3><span class="method ${method.toLowerCase()}">${method}</span><code>${path}</code> <small>role <code>${operation['x-role']}</code></small></h3>
<p><strong>${operation.summary}.</strong> ${prose(operation.description ?? '')}</p>
${parametersHtml(operation.parameters)}
${bodyHtml(operation)}
${responsesHtml(operation.responses)}
</article>`

function parametersHtml(parameters: readonly Parameter[]): Html {
  if (parameters.length === 0) return html``
  return html`<details><summary>Parameters <small>${parameters.length}</small></summary><div class="scroll"><table>
<tr><th>Name</th><th>In</th><th>Type</th><th></th></tr>
${parameters.map(
  ({ name, in: place, required, schema, description = '' }) =>
    html`<tr><td><code>${name}</code>${required ? html` <em>required</em>` : html``}</td><td>${place}</td><td>${typeOf(schema)}</td><td>${prose(description)}</td></tr>`,
)}
</table></div></details>`
}

function bodyHtml({ requestBody }: Operation): Html {
  const schema = requestBody?.content['application/json']?.schema
  if (!requestBody || !schema) return html``
  const note = requestBody.required ? '' : 'may be left out'
  return html`<details><summary>Body <small>${note}</small></summary>${fieldsHtml(schema)}</details>`
}

function fieldsHtml(schema: JsonSchema): Html {
  const fields = (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>
  const required = (schema['required'] ?? []) as readonly string[]
  return html`<div class="scroll"><table>
<tr><th>Field</th><th>Type</th><th></th></tr>
${Object.entries(fields).map(
  ([name, field]) =>
    html`<tr><td><code>${name}</code>${required.includes(name) ? html` <em>required</em>` : html``}</td><td>${typeOf(field)}</td><td>${prose(field.description ?? '')}</td></tr>`,
)}
</table></div>`
}

function responsesHtml(responses: Readonly<Record<string, Response>>): Html {
  return html`<details><summary>Answers <small>${Object.keys(responses).join(' ')}</small></summary><div class="scroll"><table>
${Object.entries(responses).map(
  ([status, response]) =>
    html`<tr><td><span class="status s${status.charAt(0)}">${status}</span></td><td>${answerHtml(status, response)}</td></tr>`,
)}
</table></div></details>`
}

function answerHtml(status: string, { description, content = {}, headers = {} }: Response): Html {
  if (Number(status) >= 400)
    return html`${description.split(', ').map((code) => html`<code>${code}</code> `)}`
  const [type] = Object.values(content)
  const names = Object.keys(headers)
  return html`${description} ${type ? typeOf(type.schema) : html``}${
    names.length === 0
      ? html``
      : html`<br><small>Headers: ${names.map((name) => html`<code>${name}</code> `)}</small>`
  }`
}

const schemaHtml = (name: string, schema: JsonSchema): Html => html`
<article id="schema-${name}"><h3>${name}</h3>${fieldsHtml(schema)}</article>`

/** A type in a few words. */
function typeOf(schema: JsonSchema): Html {
  const name = /([^/]+)$/.exec(String(schema['$ref'] ?? ''))?.[1]
  if (name !== undefined) return html`<a href="#schema-${name}">${name}</a>`
  const words = schema['enum'] as readonly unknown[] | undefined
  if (words) return html`${words.map((word) => html`<code>${String(word)}</code> `)}`
  if (schema.type === 'array') return html`list of ${typeOf(schema['items'] as JsonSchema)}`
  const types = [schema.type ?? 'anything'].flat().join(' or ')
  const { minimum, maximum } = schema
  const range =
    minimum === undefined ? '' : ` ${minimum}${maximum === undefined ? '+' : `–${maximum}`}`
  return html`${types}${range}`
}
