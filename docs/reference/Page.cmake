# Makes a page of mlir-tblgen's output, without its marker for a table of contents.
# With a title, the page begins with it, and headings are one level below.
#
#   cmake -DBODY=<file> -DTITLE=<text> -DINTRODUCTION=<text> -DPAGE=<file> -P Page.cmake
file(READ "${BODY}" body)
string(REPLACE "[TOC]\n\n" "" body "${body}")
if(TITLE)
  string(REGEX REPLACE "\n##(#+) " "\n#\\1 " body "${body}")
  string(REGEX REPLACE "^(<!--[^\n]*-->)\n" "\\1\n\n# ${TITLE}\n\n${INTRODUCTION}\n"
    body "${body}")
endif()
file(WRITE "${PAGE}" "${body}")
