// Adds a copy button to every block of code, if the browser allows copying. Pages also work without it.
for (const code of navigator.clipboard === undefined ? [] : document.querySelectorAll('.code')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    const copied = await navigator.clipboard.writeText(code.querySelector('pre').textContent).then(
      () => true,
      () => false,
    );
    button.textContent = copied ? 'Copied' : 'Not copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
  code.append(button);
}
