/** A status as a word with a colour; the word alone tells all. */
export const Status = ({ status }: { status: string }) => (
  <span class={`status s-${status}`}>{status.replaceAll('_', ' ')}</span>
)

export const Tag = ({ tag }: { tag: string }) => <bdi class="tag">{tag}</bdi>
