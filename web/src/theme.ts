import { useEffect, useState } from 'preact/hooks'

/** As the system says, unless the reader says otherwise. */
type Theme = 'system' | 'light' | 'dark'

const themes: readonly Theme[] = ['system', 'light', 'dark']
const place = 'holdfast-theme'

/** Storage may be forbidden: then the choice lasts as long as the page. */
function kept(): Theme {
  try {
    return themes.find((theme) => theme === localStorage.getItem(place)) ?? 'system'
  } catch {
    return 'system'
  }
}

export function useTheme(): readonly [Theme, () => void] {
  const [theme, setTheme] = useState(kept)
  useEffect(() => {
    document.documentElement.dataset['theme'] = theme
    try {
      localStorage.setItem(place, theme)
    } catch {
      // It lasts as long as the page.
    }
  }, [theme])
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] as Theme
  return [theme, () => setTheme(next)]
}
