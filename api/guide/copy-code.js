// Adds a button that copies to every block of code. Pages need nothing of it; where a browser allows no copying there is no button.
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
