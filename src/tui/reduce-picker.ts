import { stepped } from './scroll.ts'
import { type Action, emptyPicker, type PickerState, type Size } from './state.ts'
import { pickerWindow } from './windows.ts'

type PickerAction = Extract<Action, { type: 'command' | 'sessions' }>

export function reducePicker(picker: PickerState, action: PickerAction, size: Size): PickerState {
  if (action.type === 'sessions') return withSessions(picker, action, size)
  switch (action.command) {
    case 'refresh':
      return { ...emptyPicker, cursor: picker.cursor, top: picker.top }
    case 'up':
    case 'down':
    case 'page-up':
    case 'page-down':
    case 'first':
    case 'last':
      return moved(picker, stepped(picker.cursor, action.command, pickerWindow(size, picker)), size)
    default:
      return picker
  }
}

function moved(picker: PickerState, cursor: number, size: Size): PickerState {
  const after = { ...picker, cursor }
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
  const after = { ...picker, rows, total }
  return moved(after, Math.max(0, Math.min(picker.cursor, total - 1)), size)
}
