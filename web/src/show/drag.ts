/** What is dragged is named by this type, so that nothing else can be dropped. */
const kind = 'text/x-holdfast-task'

export const dragging = (id: string, onDrag: (id: string | null) => void) => ({
  draggable: true,
  onDragStart: (event: DragEvent) => {
    event.dataTransfer?.setData(kind, id)
    onDrag(id)
  },
  onDragEnd: () => onDrag(null),
})

export const dropping = (onDrop: (id: string) => void) => ({
  onDragOver: (event: DragEvent) => {
    if (event.dataTransfer?.types.includes(kind)) event.preventDefault()
  },
  onDrop: (event: DragEvent) => {
    event.preventDefault()
    const id = event.dataTransfer?.getData(kind)
    if (id) onDrop(id)
  },
})
