// The median time of sums of N doubles over all ranks, in milliseconds, by a program that is linked
// with its MPI: what package dist/mpi is compared with.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { times = 100 };

static int ascending(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

int main(int argc, char **argv) {
	MPI_Init(&argc, &argv);
	int n = argc > 1 ? atoi(argv[1]) : 1000000, rank;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	double *x = calloc(n, sizeof *x), took[times];
	for (int i = -1; i < times; i++) { // the first is not timed
		MPI_Barrier(MPI_COMM_WORLD);
		double start = MPI_Wtime();
		MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		if (i >= 0)
			took[i] = (MPI_Wtime() - start) * 1e3;
	}
	qsort(took, times, sizeof *took, ascending);
	if (rank == 0)
		printf("%g\n", took[times / 2]);
	MPI_Finalize();
	return 0;
}
