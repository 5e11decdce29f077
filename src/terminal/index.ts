export { oneLine, printable, printableJson, printableLines } from './printable.ts'
