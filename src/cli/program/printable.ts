export {
  joinedLines,
  oneLine,
  printable,
  printableJson,
  printableLines,
} from '../../terminal/index.ts'
