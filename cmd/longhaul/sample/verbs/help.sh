# help: say what the verbs do.
echo "pocket add NOTE   keep a note"
echo "pocket list       show the notes, numbered"
