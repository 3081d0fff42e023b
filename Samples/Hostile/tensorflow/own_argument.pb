
.
xPlaceholder*
dtype0*
shape:

callsamecall

outRelucall 


same
x
y"
yx