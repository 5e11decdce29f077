// bare BYTES: a server of the same framework that answers every request with a constant of that many bytes. It says
// its port.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'

const [bytes = '300'] = process.argv.slice(2)
const text = JSON.stringify({ title: 'x'.repeat(Number(bytes) - '{"title":""}'.length) })
const headers = { 'Content-Type': 'application/json' }
const app = new Hono()
app.get('/api/tasks/:id', () => new Response(text, { headers }))
app.post('/api/tasks/:id/claim', () => new Response(text, { headers }))

const server = createServer(getRequestListener(app.fetch))
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())
