/** How many documents, and of which models: `47 documents (12 list, 35 plan)`. */
export function shownCounts(documents: number, models: Readonly<Record<string, number>>): string {
  const parts = Object.entries(models).map(([model, count]) => `${count} ${model}`)
  const named = parts.length === 0 ? '' : ` (${parts.join(', ')})`
  return `${documents} ${documents === 1 ? 'document' : 'documents'}${named}`
}
