/** The style of the page, light and dark as the reader's system is. */
export const style = `
:root {
  color-scheme: light dark;
  --paper: #fdfdfb; --ink: #22252a; --soft: #6a6f78; --line: #e3e3de; --panel: #f5f5f1; --link: #1d5fa8;
  --get: #1f7a4d; --post: #1d5fa8; --put: #8a5a00; --patch: #7a4bb0; --delete: #b3372f;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #16181c; --ink: #e4e6ea; --soft: #9aa0aa; --line: #2d3138; --panel: #1d2025; --link: #7fb4f0;
    --get: #5fc491; --post: #7fb4f0; --put: #e0b050; --patch: #bb97ee; --delete: #f08a82;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1rem; }
body {
  margin: 0; display: grid; grid-template-columns: 19rem minmax(0, 1fr); background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
a:focus-visible, summary:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 3px; }
code { font: 0.875em/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
small { color: var(--soft); font-weight: 400; }
nav {
  position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1rem 2rem 1.5rem;
  border-right: 1px solid var(--line); background: var(--panel); font-size: 0.875rem;
}
nav .name { margin: 0 0 1.25rem; font-size: 1.125rem; font-weight: 650; }
nav .name a, nav .group a { color: inherit; }
nav .group { margin: 1.25rem 0 0.25rem; font-weight: 650; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav li a { display: flex; gap: 0.5rem; padding: 0.15rem 0; color: inherit; }
nav .method { flex: 0 0 3.4rem; padding: 0; border: 0; font-size: 0.6875rem; line-height: 1.9; }
main { max-width: 56rem; padding: 2.5rem 2.5rem 6rem; }
h1 { margin: 0 0 0.5rem; font-size: 2rem; line-height: 1.2; letter-spacing: -0.02em; }
h2 { margin: 3rem 0 0.25rem; padding-bottom: 0.25rem; border-bottom: 1px solid var(--line); font-size: 1.375rem; }
h3 { display: flex; flex-wrap: wrap; align-items: center; gap: 0.625rem; margin: 0; font-size: 1rem; }
h3 code { font-size: 0.95rem; overflow-wrap: anywhere; }
.lead { font-size: 1.0625rem; }
article { margin: 1rem 0; padding: 1rem 1.25rem; border: 1px solid var(--line); border-radius: 8px; }
article:target { border-color: var(--link); box-shadow: 0 0 0 1px var(--link); }
article p { margin: 0.5rem 0; }
.method { color: var(--ink); font-size: 0.75rem; font-weight: 700; letter-spacing: 0.03em; }
h3 .method { padding: 0.1rem 0.5rem; border: 1px solid currentColor; border-radius: 4px; }
.method.get { color: var(--get); } .method.post { color: var(--post); } .method.put { color: var(--put); }
.method.patch { color: var(--patch); } .method.delete { color: var(--delete); }
details { margin-top: 0.375rem; }
summary { cursor: pointer; padding: 0.125rem 0; color: var(--soft); font-size: 0.9375rem; }
details[open] > summary { color: var(--ink); font-weight: 600; }
.scroll { overflow-x: auto; }
table { width: 100%; margin: 0.25rem 0 0.5rem; border-collapse: collapse; font-size: 0.875rem; }
th { color: var(--soft); font-weight: 500; text-align: left; }
th, td { padding: 0.375rem 0.75rem 0.375rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
tr:last-child td { border-bottom: 0; }
td em { color: var(--delete); font-size: 0.75rem; font-style: normal; }
td code { white-space: nowrap; }
.status { font-weight: 700; } .s2 { color: var(--get); } .s3 { color: var(--soft); }
.s4 { color: var(--put); } .s5 { color: var(--delete); }
@media (max-width: 60rem) {
  body { display: block; }
  nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); }
  main { padding: 1.5rem 1rem 4rem; }
}
`
