import { stepped } from './scroll.ts'
import { type Action, emptyPicker, type PickerState, type Size } from './state.ts'
import { pickerWindow } from './windows.ts'

type PickerAction = Extract<Action, { type: 'command' | 'sessions' }>

export function reducePicker(picker: PickerState, action: PickerAction, size: Size): PickerState {
  if (action.type === 'sessions') return withSessions(picker, action, size)
  switch (action.command) {
    case 'refresh':
      return unread(picker)
    case 'up':
    case 'down':
    case 'page-up':
    case 'page-down':
    case 'first':
    case 'last':
      // Nobody knows yet what there is to move to.
      if (picker.total === null) return picker
      return moved(picker, stepped(picker.cursor, action.command, pickerWindow(size, picker)), size)
    default:
      return picker
  }
}

/** The list with nothing read of it, and the cursor where it is. */
export const unread = ({ cursor, sid, totalBefore, top }: PickerState): PickerState => ({
  ...emptyPicker,
  ...{ cursor, sid, totalBefore, top },
})

function moved(picker: PickerState, cursor: number, size: Size): PickerState {
  const { rows } = picker
  const isUnread = cursor === picker.cursor && !rows.has(cursor)
  const sid = isUnread ? picker.sid : (rows.get(cursor)?.session.sid ?? null)
  const after = { ...picker, cursor, sid }
  return { ...after, top: pickerWindow(size, after).top }
}

/** A session that was left out, since it can't be read, leaves a gap at the end of its page. */
function withSessions(
  picker: PickerState,
  { range, sessions, total }: Extract<Action, { type: 'sessions' }>,
  size: Size,
): PickerState {
  // A list that has changed its length has also moved: what was read before is no longer right.
  const rows = new Map(total === picker.total ? picker.rows : [])
  for (let at = range.first; at <= Math.min(range.last, total - 1); at++)
    rows.set(at, sessions[at - range.first] ?? null)
  const after = { ...picker, rows, total, totalBefore: total }
  const followed = sessions.findIndex(({ session }) => session.sid === picker.sid)
  // New sessions stand above all others: one that was not among these rows is so much further down.
  const added = picker.sid === null ? 0 : Math.max(0, total - (picker.totalBefore ?? total))
  const cursor = followed < 0 ? Math.min(picker.cursor + added, total - 1) : range.first + followed
  return moved(after, Math.max(0, cursor), size)
}
