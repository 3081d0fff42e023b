
.
xPlaceholder*
dtype0*
shape:

callagainx:
8

again
x
y
callagainx"
ycall:y:0