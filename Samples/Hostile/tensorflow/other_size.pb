
L
xPlaceholder*
dtype0*-
shape$:"ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿ
)
resizedResizeNearestNeighborxsize
1
sizePlaceholder*
dtype0*
shape: