/** One thing that people see of what a form changes; what is typed stands in the control of the same name. */
export interface Trait<T> {
  readonly name: string
  readonly label: string
  /** As a control holds it. */
  readonly of: (of: T) => string
  /** What is typed, as `of` would write it. */
  readonly normal?: (typed: string) => string
  /** As people read it. */
  readonly shown?: (text: string) => string
}

/** One trait that somebody changed, in two versions. */
export interface Difference {
  /** Of the trait, and of its control if it has one. */
  readonly name: string
  readonly label: string
  readonly theirs: string
  /** Null where whoever types has left it as it was. */
  readonly yours: string | null
  /** What both began with. */
  readonly before: string
}

/** The text of a control; null where there is none of that name. */
type TypedOf = (name: string) => string | null

/** What whoever types has changed of a trait; null where nothing. */
export function yoursOf<T>({ name, of, normal }: Trait<T>, before: T, typed: TypedOf) {
  const text = typed(name)
  if (text === null) return null
  const yours = normal ? normal(text) : text
  return even(yours) === even(of(before)) ? null : yours
}

/** As a control gives it back where nobody has touched it. */
const even = (text: string): string => text.replace(/\r\n?/g, '\n').trim()

/** What two people have made of the same thing, by what both began with. */
export function differencesOf<T>(
  traits: readonly Trait<T>[],
  { before, theirs, typed }: { before: T; theirs: T; typed: TypedOf },
): { readonly isChanged: boolean; readonly differences: readonly Difference[] } {
  const isChanged = traits.some(({ of }) => of(before) !== of(theirs))
  const differences = traits.flatMap((trait) => {
    const { of, name, label, shown = (text: string) => text } = trait
    const yours = yoursOf(trait, before, typed)
    if (of(before) === of(theirs) && yours === null) return []
    return [
      {
        name,
        label,
        theirs: shown(of(theirs)),
        yours: yours === null ? null : shown(yours),
        before: shown(of(before)),
      },
    ]
  })
  return { isChanged, differences }
}
