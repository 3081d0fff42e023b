
:
xPlaceholder*
dtype0*
shape:
!
resizedResizeBicubicxsize
3
sizeConst*
dtype0*
valueB: