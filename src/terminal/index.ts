export { joinedLines, oneLine, printable, printableJson, printableLines } from './printable.ts'
