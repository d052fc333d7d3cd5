# What zsh offers for a line: ask-zsh.zsh SCRIPT LINE. A shell on a terminal of its own reads the script and gets the line and a tab.
zmodload zsh/zpty
zpty shell zsh -f -i
# Each match is written between marks by the shell itself, in place of the list on the screen.
zpty -w shell "PROMPT=; unsetopt zle_bracketed_paste 2>/dev/null; autoload -Uz compinit; compinit -D -u; source ${(q)1}
compadd() {
  local -a __found
  if [[ \$1 = -[OAD] || -n \${@[(r)-[OAD]]} ]]; then builtin compadd \"\$@\"; return; fi
  builtin compadd -O __found \"\$@\"
  for match in \$__found; do print -r -- \"<\$match>\"; done
  builtin compadd \"\$@\"
}
ask() { zle complete-word; print -r -- '<''end>'; }
zle -N ask; bindkey '^I' ask; print -r -- '<''ready>'"
zpty -r -m shell said $'*<ready>*'
zpty -w -n shell "$2"$'\t'
said=''
while zpty -r shell part; do
  said+=$part
  [[ $said = *'<end>'* ]] && break
done
zpty -d shell
print -r -- $said | tr -d '\r' | grep -o '<[^<>]*>' | tr -d '<>' | grep -v '^end$'
true
