/** A page of badges: each figure, in each style and several scripts, and without a figure. @param url of the service */
export function badgesPage(url, { ranked, scored, sold }) {
  const badge = (id, query = '') => `<img src="${url}/badges/models/${encodeURIComponent(id)}.svg?${query}" alt="">`;
  const labelled = (label) => badge(ranked, `label=${encodeURIComponent(label)}`);
  const rows = [
    [badge(ranked), badge(scored, 'metric=score')],
    [badge(sold, 'metric=price'), badge(sold)],
    ['flat-square', 'plastic', 'for-the-badge'].map((style) => badge(ranked, `style=${style}`)),
    [labelled('نموذجنا'), labelled('המודל שלנו'), labelled('我们的模型')],
    [
      badge(ranked, 'color=orange&label=our%20model'),
      badge('no such model'),
      `<img src="${url}/badges/source.svg" alt="">`,
    ],
  ];
  return `<!doctype html><meta name="color-scheme" content="light dark"><style>
    body { margin: 0; padding: 16px 20px; width: 680px }
    p { display: flex; align-items: center; gap: 12px; margin: 0 0 12px }
  </style>${rows.map((row) => `<p>${row.join('')}</p>`).join('')}`;
}
